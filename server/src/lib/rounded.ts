/** Rounds dollars and minutes to six decimals: further digits are floating-point noise. */
export function toMillionth(value: number): number {
  return Number(value.toFixed(6));
}

/** Writes dollars as a decimal number of whole millionths, so that sums are exact from here on. */
export function decimalUsd(value: number): string {
  return value.toFixed(6);
}

/** Rounds seconds to three decimals. */
export function toThousandth(value: number): number {
  return Number(value.toFixed(3));
}
