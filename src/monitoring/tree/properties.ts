import type { PropertyBody } from './schema.ts'

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text is, or null when it is none that can be held: what filters compare by size. */
export function decimalOf(text: string): number | null {
  if (!DECIMAL.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** The properties as one JSON text: how many of them travel in one bound parameter. */
export function propertiesJson(properties: readonly PropertyBody[]): string {
  return JSON.stringify(properties.map(({ key, value }) => ({ key, value, number: decimalOf(value) })))
}
