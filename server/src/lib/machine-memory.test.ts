import { expect, test } from 'vitest';
import { machineMemory } from './machine-memory.ts';

const gibibyte = 2 ** 30;

test('one sandbox has half of a machine at most, and all together leave the server its part, on small and large ones', () => {
  const shared = [0.5, 1, 2, 8, 24, 64, 512].map((size) => machineMemory(size * gibibyte));
  expect(shared).toEqual([
    { totalMb: 512, sandboxesMb: 256, sandboxMb: 256 },
    { totalMb: 1_024, sandboxesMb: 512, sandboxMb: 512 },
    { totalMb: 2_048, sandboxesMb: 1_536, sandboxMb: 1_024 },
    { totalMb: 8_192, sandboxesMb: 7_168, sandboxMb: 4_096 },
    { totalMb: 24_576, sandboxesMb: 21_504, sandboxMb: 12_288 },
    { totalMb: 65_536, sandboxesMb: 57_344, sandboxMb: 32_768 },
    { totalMb: 524_288, sandboxesMb: 516_096, sandboxMb: 262_144 },
  ]);
});
