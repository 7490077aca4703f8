/** SHA-256 of a text in UTF-8, as hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return (await digestOf(new TextEncoder().encode(text))).toHex()
}

/** SHA-256 of a text in UTF-8 as base64 (RFC 4648, section 4), as Content-Security-Policy writes it. */
export async function sha256Base64(text: string): Promise<string> {
  return (await digestOf(new TextEncoder().encode(text))).toBase64()
}

/** SHA-256 of bytes, as hexadecimal digits. */
export async function digestHex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return (await digestOf(bytes)).toHex()
}

async function digestOf(bytes: Parameters<SubtleCrypto['digest']>[1]): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
