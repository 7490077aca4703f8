import { cutText, storable } from '../../../lib/text.ts'
import { areNumbers, areTexts } from '../plain.ts'
import { isJsonObject } from '../../../lib/json.ts'

const EXCERPT_MAX = 500
/** Characters of one text and items of one list that the excerpt has. */
const TEXT_MAX = 100
const ITEMS_MAX = 20
/** Fields of the body that the excerpt has. */
const FIELDS_MAX = 50
/** The place of a value that the excerpt leaves out. */
const HIDDEN = '…'

/** The fields of deliveries, whose values are no secrets. */
const SHOWN: ReadonlySet<string> = new Set([
  'jobId',
  'returnValue',
  'errorCode',
  'timestamp',
  'timestamps',
  'values',
  'key',
  'metric',
  'message',
  'ttl',
  'runId',
  'signal',
])

/** The start of a body as JSON. Unknown fields have their names only: their values may be secrets. Null for a body that was not
 * read. */
export function excerptOf(input: unknown): string | null {
  if (input === undefined) return null
  const shown = isJsonObject(input) ? Object.fromEntries(fieldsOf(input)) : HIDDEN
  return owned(cutText(storable(JSON.stringify(shown)), EXCERPT_MAX))
}

/** A copy of a text. A slice holds the whole text that it is a part of in memory. */
export function owned(text: string): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(new TextEncoder().encode(text))
}

function fieldsOf(input: Readonly<Record<string, unknown>>): [string, unknown][] {
  const fields: [string, unknown][] = []
  for (const key in input) {
    if (fields.length >= FIELDS_MAX) break
    const isShown = SHOWN.has(key) || areNumbers(key) || areTexts(key)
    fields.push([cutText(key, TEXT_MAX), isShown ? shortened(input[key]) : HIDDEN])
  }
  return fields
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, TEXT_MAX)
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((one) => scalarOf(one))
  return scalarOf(value)
}

function scalarOf(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return HIDDEN
  return typeof value === 'string' ? cutText(value, TEXT_MAX) : value
}
