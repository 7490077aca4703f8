import { Refusal } from '../lib/errors.ts'
import type { ByteSpan, StoredBlob } from '../ports/blobs.ts'
import { isFresh } from './preconditions.ts'
import { problemResponse } from './problem.ts'

/** Stored bytes, and functions that read all of them or a span. */
export type Stored = {
  readonly etag: string
  readonly sizeBytes: number
  readonly open: (span?: ByteSpan) => Promise<Pick<StoredBlob, 'body'>>
}

/** The good answers of a route that sends a file. */
export const FILE_ANSWERS = {
  200: { description: 'The bytes of the file.', media: '*/*', headers: ['ETag', 'Content-Disposition'] },
  206: { description: 'The requested range.', media: '*/*', headers: ['ETag', 'Content-Range'] },
  304: { description: 'Not modified.' },
} as const

/** The headers of a file: a browser runs and loads no part of any content. */
export function fileHeaders(mimeType: string, disposition: string): Readonly<Record<string, string>> {
  return {
    'content-type': mimeType,
    'content-disposition': disposition,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, no-cache',
  }
}

/** Answers a GET or HEAD with stored bytes, or the requested part of them (RFC 9110 sections 13 and 14): 200, 206,
 * 304 or 416. Several ranges at once are ignored: the answer has all bytes. */
export async function answerStored(
  request: Request,
  { etag, sizeBytes, open }: Stored,
  { headers, requestId }: { readonly headers: Readonly<Record<string, string>>; readonly requestId: string },
): Promise<Response> {
  if (isFresh(request, etag)) return new Response(null, { status: 304, headers: { ...headers, etag } })
  const span = askedSpan(request, etag, sizeBytes)
  if (span === 'outside') {
    const refusal = new Refusal(
      'range_not_satisfiable',
      `The file has ${sizeBytes} bytes; the requested range is outside of it.`,
    )
    return problemResponse(refusal, requestId, { 'content-range': `bytes */${sizeBytes}` })
  }
  const sent: Record<string, string> = {
    ...headers,
    etag,
    'accept-ranges': 'bytes',
    'content-length': String(span?.sizeBytes ?? sizeBytes),
  }
  if (span) {
    const last = span.offsetBytes + span.sizeBytes - 1
    sent['content-range'] = `bytes ${span.offsetBytes}-${last}/${sizeBytes}`
  }
  const body = request.method === 'HEAD' ? null : (await open(span ?? undefined)).body
  return new Response(body, { status: span ? 206 : 200, headers: sent })
}

function askedSpan(
  { method, headers }: Request,
  etag: string,
  sizeBytes: number,
): ByteSpan | 'outside' | null {
  const range = headers.get('range')
  if (method !== 'GET' || range === null) return null
  const onlyOf = headers.get('if-range')
  // A date is not an entity tag, and seconds are too coarse to join parts of a file.
  if (onlyOf !== null && onlyOf.trim() !== etag) return null
  return spanOf(range, sizeBytes)
}

/** The single span of a `Range`; null for several spans, an empty one, or a header that cannot be parsed. */
function spanOf(range: string, wholeBytes: number): ByteSpan | 'outside' | null {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range) ?? []
  if (first === '' && last === '') return null
  if (first === '') return within(Math.max(0, wholeBytes - Number(last)), wholeBytes - 1, wholeBytes)
  if (last !== '' && Number(last) < Number(first)) return null
  return within(Number(first), last === '' ? wholeBytes - 1 : Number(last), wholeBytes)
}

function within(first: number, last: number, wholeBytes: number): ByteSpan | 'outside' {
  const end = Math.min(last + 1, wholeBytes)
  return first < end ? { offsetBytes: first, sizeBytes: end - first } : 'outside'
}
