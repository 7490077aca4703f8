const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']
const SEQUENCE = 0x30

/** Whether a text is one or more certificates in PEM and nothing else, as far as their outermost bytes say. */
export function isCertificates(text: string): boolean {
  const [before, ...rest] = text.split(BEGIN)
  return before?.trim() === '' && rest.length > 0 && rest.every(isBlock)
}

function isBlock(text: string): boolean {
  const [body, after, ...others] = text.split(END)
  if (body === undefined || after === undefined || others.length > 0 || after.trim() !== '') return false
  try {
    return isSequence(Uint8Array.fromBase64(body))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Whether bytes are one DER sequence, without a byte more or less. */
function isSequence(bytes: Uint8Array): boolean {
  const [tag, length = 0, ...long] = bytes.subarray(0, 6)
  if (tag !== SEQUENCE) return false
  if (length < 0x80) return bytes.length === 2 + length
  const count = length - 0x80
  const value = long.slice(0, count).reduce((sum, byte) => sum * 256 + byte, 0)
  return count > 0 && count <= long.length && bytes.length === 2 + count + value
}
