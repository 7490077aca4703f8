import { hex } from './text.ts'

/** SHA-256 of a text in UTF-8, as hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return digestHex(new Uint8Array(new TextEncoder().encode(text)))
}

/** The same as base64 (RFC 4648, section 4), as Content-Security-Policy writes it. */
export async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

/** SHA-256 of bytes, as hexadecimal digits. */
export async function digestHex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
