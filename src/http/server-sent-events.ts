const encoder = new TextEncoder()

/** An event of a stream. JSON has no line breaks, so its data is one line. */
export function frameOf(id: string, event: string, data: object): Uint8Array {
  return encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** Keeps the connection open and moves the client's last id past events that did not concern it: an event without data
 * is not dispatched, but its id counts. */
export function heartbeatOf(id: string): Uint8Array {
  return encoder.encode(`: still here\nid: ${id}\n\n`)
}

/** How long the client waits before it reconnects. */
export function retryOf(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`)
}
