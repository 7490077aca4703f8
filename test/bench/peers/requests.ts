import type { Request, Running } from './peer.ts'

/**
 * Where the time of sending goes into a request that is made beforehand: epoch ms in decimal digits, or as a
 * base-128 varint. Both always take this many bytes, until the year 2109.
 */
export const TIME_IN_DIGITS = '\u0001'.repeat(13)
export const TIME_IN_VARINT = Uint8Array.from({ length: 6 }, () => 255)

/** Sends a request. @throws {Error} unless the answer is a 2xx */
export async function send({ url }: Pick<Running, 'url'>, request: Request): Promise<string> {
  const { method, path, headers, body } = request
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: stamped(Buffer.from(body), Date.now()) }),
    // A server of this bench makes its own certificate.
    tls: { rejectUnauthorized: false },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`)
  return text
}

/** The request as it goes over the wire, in HTTP/1.1. */
export function bytesOf({ method, path, headers, body }: Request): Uint8Array {
  const content = Buffer.from(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'GET' ? '' : `content-length: ${content.length}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}${length}\r\n`
  return Buffer.concat([Buffer.from(head), content])
}

export function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function stamped(body: Buffer, now: number): Buffer {
  const digits = Buffer.from(TIME_IN_DIGITS)
  const stamps = [
    [digits, Buffer.from(String(now))],
    [Buffer.from(TIME_IN_VARINT), Buffer.from(varint(now))],
  ] as const
  for (const [place, stamp] of stamps) {
    for (let at = body.indexOf(place); at >= 0; at = body.indexOf(place, at + stamp.length))
      stamp.copy(body, at)
  }
  return body
}

/** Does the work for every item, so many at once. */
export async function inLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const lane = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
