const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number in a text, or null if it has none that a double can hold; filters compare it by size. */
export function decimalOf(text: string): number | null {
  if (!DECIMAL.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}
