import type { PropertyBody } from './schema.ts'

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number in a text, or null if it has none that a double can hold; filters compare it by size. */
export function decimalOf(text: string): number | null {
  if (!DECIMAL.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** The properties as one JSON text, so that they fit one bound parameter. */
export function propertiesJson(properties: readonly PropertyBody[]): string {
  return JSON.stringify(properties.map(({ key, value }) => ({ key, value, number: decimalOf(value) })))
}
