/** What sums of binary fractions carry beyond this means nothing: dollars, and minutes. */
export function toMillionth(value: number): number {
  return Number(value.toFixed(6));
}

/** For seconds. */
export function toThousandth(value: number): number {
  return Number(value.toFixed(3));
}
