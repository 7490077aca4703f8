import { Refusal } from '../lib/errors.ts'

/** The content encoding of a body (RFC 9110 section 8.4). */
export type Encoding = 'identity' | 'gzip' | 'snappy'

/** The content encodings of a JSON body. */
export const JSON_ENCODINGS: readonly Encoding[] = ['identity', 'gzip']

/** The charsets of a text body: UTF-8, and US-ASCII, which is a part of it. */
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii']
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** The encoding of a body, `identity` by default. @throws {Refusal} unsupported_media_type that names the supported encodings */
export function encodingOf(
  { headers }: Pick<Request, 'headers'>,
  taken: readonly Encoding[] = JSON_ENCODINGS,
): Encoding {
  const named = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const encoding = taken.find((one) => one === named)
  if (encoding !== undefined) return encoding
  throw new Refusal(
    'unsupported_media_type',
    `Send the body with a Content-Encoding of ${taken.join(' or ')}.`,
  )
}

/** Refuses a text in another charset than UTF-8. @param type its `Content-Type` @throws {Refusal} unsupported_media_type */
export function refuseCharset(type: string): void {
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase()
  if (charset !== undefined && !CHARSETS.includes(charset))
    throw new Refusal('unsupported_media_type', 'Send the text in UTF-8.')
}
