// In place of workerd, whose tests do not run on Deno: what test files open before the first test of any host.

export const bundleWorker = () => Promise.resolve('')
export const replaceImport = () => null
export const HAND_CLOCK = null

export class Miniflare {
  readonly ready = Promise.resolve(new URL('http://127.0.0.1:1'))

  dispose(): Promise<void> {
    return Promise.resolve()
  }

  getD1Database(): Promise<null> {
    return Promise.resolve(null)
  }

  getR2Bucket(): Promise<null> {
    return Promise.resolve(null)
  }
}

export function startEdge(): never {
  throw new TypeError('workerd does not run beside tests on Deno.')
}
