/** An `ExportMetricsServiceResponse` in protobuf; empty without a message. */
export function partialSuccess(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  if (message === '') return new Uint8Array()
  const count = rejected === 0 ? [] : [1 * 8, ...varint(rejected)]
  return Uint8Array.from(block(1, [...count, ...text(2, message)]))
}

/** A `google.rpc.Status` in protobuf, with a message only. */
export function statusMessage(message: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text(2, message))
}

function text(field: number, content: string): number[] {
  return block(field, [...new TextEncoder().encode(content)])
}

function block(field: number, content: readonly number[]): number[] {
  return [field * 8 + 2, ...varint(content.length), ...content]
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [128 + (number % 128), ...varint(Math.floor(number / 128))]
}
