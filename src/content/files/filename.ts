import { Refusal } from '../../lib/errors.ts'

const SIZE_MAX_BYTES = 255

/** No place in a path, nothing that cannot be seen, and nothing that turns the reading direction. */
const FORBIDDEN = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

/** The name of a stored file: composed (NFC), 1 to 255 bytes of UTF-8, and never a way through folders;
 * null for an invalid name. It is a key in a table and never part of a path. */
export function filenameOf(text: string): string | null {
  const name = text.normalize('NFC')
  const isPlain = name !== '' && name === name.trim() && !/^\.+$/.test(name) && !FORBIDDEN.test(name)
  return isPlain && new TextEncoder().encode(name).byteLength <= SIZE_MAX_BYTES ? name : null
}

/** The refusal of an invalid name in a path. */
export function noFilename(): Refusal {
  const message = `must have 1 to ${SIZE_MAX_BYTES} bytes, no slashes or control characters, and not only dots`
  return new Refusal('invalid', 'The name is invalid; see errors.', [{ pointer: '{filename}', message }])
}

/** The extension in lower case; empty without one. */
export function extensionOf(name: string): string {
  return /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** A header that names a file that is sent (RFC 6266), to be shown or to be kept. */
export function dispositionOf(name: string, isShown: boolean): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["%\\]/gu, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
