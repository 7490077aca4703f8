import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { ConsoleAsset, ConsoleAssets } from '../../src/ports/console-assets.ts'
import type { Log } from '../../src/ports/log.ts'
import type { ConsoleBuild } from './console-build.ts'

const IS_TEXT = /^text\/|json|svg/
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css;charset=utf-8',
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript;charset=utf-8',
  '.json': 'application/json;charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The web console in memory. The service does not wait for it, and runs also when it does not build. */
export function openConsoleAssets(builtConsole: () => Promise<ConsoleBuild>, log: Log): ConsoleAssets {
  const build = builtConsole().catch((error: unknown) => {
    log.error(
      'console: the build failed, so /ui/ answers 503; run `npm ci --omit=dev` and restart',
      causeOf(error),
    )
    return new Map<string, Uint8Array<ArrayBuffer>>()
  })
  const found = new Map<string, ConsoleAsset>()
  return {
    async find(path) {
      const bytes = (await build).get(path)
      if (!bytes) return null
      const asset = found.get(path) ?? assetOf(path, bytes)
      found.set(path, asset)
      return asset
    },
  }
}

/** The first error of a build, whose warnings may come before it. */
function causeOf(error: unknown): unknown {
  const messages = error instanceof AggregateError ? (error.errors as readonly { level?: string }[]) : []
  return messages.find(({ level }) => level === 'error') ?? error
}

function assetOf(path: string, bytes: Uint8Array<ArrayBuffer>): ConsoleAsset {
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  return {
    body: bytes,
    gzip: IS_TEXT.test(type) ? new Uint8Array(gzipSync(bytes, { level: 9 })) : null,
    type,
  }
}
