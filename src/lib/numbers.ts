const INTEGER_MAX = 2 ** 63

/** Whether a number of JSON stands for several integers of 64 bits: beyond 2^53 they are rounded. */
export function isRounded(given: unknown): boolean {
  return (
    typeof given === 'number' &&
    Number.isInteger(given) &&
    !Number.isSafeInteger(given) &&
    Math.abs(given) <= INTEGER_MAX
  )
}
