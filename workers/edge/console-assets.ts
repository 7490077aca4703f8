import type { Fetcher } from '@cloudflare/workers-types'

import type { ConsoleAssets } from '../../src/ports/console-assets.ts'

/** The web console in the static assets of the Worker. The platform compresses answers. */
export function consoleAssetsOf(assets: Fetcher): ConsoleAssets {
  return {
    async find(path) {
      const answer = await assets.fetch(`https://assets/${path}`)
      if (!answer.ok) {
        await answer.body?.cancel()
        return null
      }
      return {
        body: answer.body as unknown as ReadableStream<Uint8Array>,
        gzip: null,
        type: answer.headers.get('content-type') ?? 'application/octet-stream',
      }
    },
  }
}
