import { cutText, oneLine, storable } from '../../../lib/text.ts'
import { isJsonObject } from '../../../lib/json.ts'

export type Json = Readonly<Record<string, unknown>>

/** An object at a field; an empty one for anything else. */
export function recordAt(of: Json, key: string): Json {
  const value = of[key]
  return isJsonObject(value) ? value : {}
}

/** The objects of a list at a field. */
export function recordsAt(of: Json, key: string): readonly Json[] {
  const value = of[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** A text at a field, as databases keep it; numbers and flags are written out. */
export function textAt(of: Json, key: string): string {
  const value = of[key]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? storable(String(value))
    : ''
}

export function numberAt(of: Json, key: string, otherwise: number): number {
  const value = of[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

/** A text as a title: one line of 255 characters at most. */
export function titleOf(text: string): string {
  return cutText(oneLine(text), 255)
}
