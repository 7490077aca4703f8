import type { Value, Values } from './dashboard.ts'

/** Values of parameters as a line of text, such as `region=north, site=7`. */
export function textOfDefaults(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('|') : String(value ?? '')}`)
    .join(', ')
}

/** The values of such a line; null for another text. Numbers and true and false have their types; `|` is between the values of a
 * list. */
export function defaultsOf(text: string): Values | null {
  const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  const pairs = parts.map((part) => /^([A-Za-z][\w-]*)\s*=\s*(.*)$/s.exec(part))
  if (pairs.some((pair) => pair === null)) return null
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', valueOf(pair[2] ?? '')]] : [])))
}

function valueOf(text: string): Value {
  if (text === '') return null
  if (text.includes('|')) return text.split('|').map((one) => scalarOf(one.trim()))
  return scalarOf(text)
}

function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text) ? Number(text) : text
}
