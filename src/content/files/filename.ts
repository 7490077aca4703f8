import { Refusal } from '../../lib/errors.ts'

const SIZE_MAX_BYTES = 255

/** Characters that separate paths, cannot be seen, or change the direction of text. */
const FORBIDDEN = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

/** The name of a stored file: composed (NFC), 1 to 255 bytes of UTF-8, and never a way through folders;
 * null for an invalid name. It is a key in a table and never part of a path. */
export function filenameOf(text: string): string | null {
  const name = text.normalize('NFC')
  const isPlain = name !== '' && name === name.trim() && !/^\.+$/.test(name) && !FORBIDDEN.test(name)
  return isPlain && new TextEncoder().encode(name).byteLength <= SIZE_MAX_BYTES ? name : null
}

/** The name of a stored file, as `filenameOf`. @throws {Refusal} invalid for an invalid name */
export function requireFilename(text: string): string {
  const name = filenameOf(text)
  if (name !== null) return name
  const message = `must have 1 to ${SIZE_MAX_BYTES} bytes, no slashes or control characters, and not only dots`
  throw new Refusal('invalid', 'The name is invalid; see errors.', [{ pointer: '{filename}', message }])
}

/** The extension in lower case; empty without one. */
export function extensionOf(name: string): string {
  return /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** The field `Content-Disposition` of a file (RFC 6266): browsers show the file, or else store it. */
export function dispositionOf(name: string, isShown: boolean): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["%\\]/gu, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
