/** The bytes of a base32 text, as an authenticator reads it. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  return Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  )
}
