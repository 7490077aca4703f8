import { base64url, fromBase64url } from './text.ts'

/** An opaque cursor for the place where the next page begins. */
export function encodeCursor(place: unknown): string {
  return base64url(new TextEncoder().encode(JSON.stringify(place)))
}

/** The place that a cursor stands for; undefined when it is none of ours. What it holds is still the caller's word. */
export function decodeCursor(cursor: string): unknown {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
    return JSON.parse(decoder.decode(fromBase64url(cursor)))
  } catch {
    return undefined
  }
}
