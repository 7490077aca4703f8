import { joined } from '../lib/chunks.ts'
import { Refusal } from '../lib/errors.ts'

/** How large a body may be as it is sent, and once it is inflated. */
export type ByteBounds = { readonly sentMaxBytes: number; readonly inflatedMaxBytes: number }

/** The body of a request or an answer, of which no more than the bound is ever held.
 * @throws {Refusal} too_large */
export function readBytes(
  { headers, body }: Pick<Request, 'headers' | 'body'>,
  sizeMaxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const refusal = () => tooLarge(sizeMaxBytes)
  if (Number(headers.get('content-length') ?? 0) > sizeMaxBytes) throw refusal()
  return collect(body, sizeMaxBytes, refusal)
}

/** The body of a request. One with a `Content-Length` is taken in one piece: the server lets through no more bytes than that,
 * and to read a small body in pieces takes longer than to decode it.
 * @throws {Refusal} too_large, and bad_request where it ends early */
export async function readBody(request: Request, sizeMaxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const length = request.headers.get('content-length')
  if (length === null || Number(length) > sizeMaxBytes) return readBytes(request, sizeMaxBytes)
  const body = await request.arrayBuffer().catch(() => {
    throw new Refusal('bad_request', 'The body is truncated.')
  })
  if (body.byteLength > sizeMaxBytes) throw tooLarge(sizeMaxBytes)
  return new Uint8Array(body)
}

/** The body of a request as it comes, so that nothing of it is held.
 * @throws {Refusal} while it is read too_large, and bad_request where it ends early */
export async function* bodyChunks(
  { body }: Request,
  sizeMaxBytes: number,
  refusal = tooLarge(sizeMaxBytes),
): AsyncGenerator<Uint8Array, void> {
  let sizeBytes = 0
  try {
    for await (const chunk of body ?? []) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > sizeMaxBytes) throw refusal
      yield chunk
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('bad_request', 'The body is truncated.')
  }
}

/** The service reads this much of a body that is too large; beyond it the connection may end. */
const DROPPED_MAX_BYTES = 16 * 1024 * 1024

/** The beginning of a body, of `sizeMaxBytes` at most. The rest is read and dropped, so that the sender can end its request.
 * @throws {Refusal} bad_request where it ends early */
export async function readStart(request: Request, sizeMaxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  let seenBytes = 0
  for await (const chunk of bodyChunks(request, Number.POSITIVE_INFINITY)) {
    const kept = chunk.subarray(0, sizeMaxBytes - sizeBytes)
    sizeBytes += kept.byteLength
    if (kept.byteLength > 0) chunks.push(kept)
    seenBytes += chunk.byteLength
    if (seenBytes > DROPPED_MAX_BYTES) break
  }
  return joined(chunks, sizeBytes)
}

/** The refusal of a body that is too large. */
export function tooLarge(sizeMaxBytes: number): Refusal {
  return new Refusal('too_large', `The body must have at most ${sizeMaxBytes} bytes.`)
}

/** Inflates gzip, and stops where it gets larger than the bound.
 * @throws {Refusal} too_large, bad_request when it is not gzip */
export async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  { inflatedMaxBytes }: ByteBounds,
): Promise<Uint8Array<ArrayBuffer>> {
  const refusal = () =>
    new Refusal('too_large', `The uncompressed body must have at most ${inflatedMaxBytes} bytes.`)
  try {
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    return await collect(inflated, inflatedMaxBytes, refusal)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('bad_request', 'The body is not valid gzip.')
  }
}

/** Bytes that come one after the other, of which no more than the bound is ever held. @throws {Refusal} too_large */
export async function collect(
  stream: AsyncIterable<Uint8Array, unknown> | null,
  sizeMaxBytes: number,
  refusal = () => tooLarge(sizeMaxBytes),
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of stream ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > sizeMaxBytes) throw refusal()
    chunks.push(chunk)
  }
  return joined(chunks, sizeBytes)
}
