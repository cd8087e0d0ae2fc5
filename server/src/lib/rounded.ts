/** Rounds dollars and minutes to six decimals: further digits are floating-point noise. */
export function toMillionth(value: number): number {
  return Number(value.toFixed(6));
}

/** Writes dollars as a decimal number of whole millionths: what is added up from here on is exact. */
export function decimalUsd(value: number): string {
  return value.toFixed(6);
}

/** For seconds. */
export function toThousandth(value: number): number {
  return Number(value.toFixed(3));
}
