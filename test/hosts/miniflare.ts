import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { Miniflare } from 'miniflare'
import type { MiniflareOptions } from 'miniflare'

import { bundleWorker } from './bundle.ts'

/** Starts a worker of this folder in workerd, from which no request leaves the test. */
export async function startWorker(file: string, options: Partial<MiniflareOptions>): Promise<Miniflare> {
  return new Miniflare({
    modules: true,
    script: await bundleWorker(join(import.meta.dirname, file)),
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    cf: false,
    // Errors are answered; what is left to print is that a client went away.
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) stream.resume()
    },
    outboundService: () => new Response('No way out of a test', { status: 599 }),
    ...options,
  })
}
