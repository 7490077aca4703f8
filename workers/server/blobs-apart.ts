import type { BlobFiles } from './blobs-directory.ts'

/** Blobs of which those under a prefix go to a store of their own. Blobs under it that the main store has from before are
 * still found and deleted there. */
export function blobsApart(main: BlobFiles, prefix: string, apart: BlobFiles): BlobFiles {
  const isApart = (key: string) => key.startsWith(prefix)
  return {
    put: (key, body) => (isApart(key) ? apart : main).put(key, body),
    async get(key, span) {
      const found = isApart(key) ? await apart.get(key, span) : null
      return found ?? main.get(key, span)
    },
    async delete(key) {
      if (isApart(key)) await apart.delete(key)
      await main.delete(key)
    },
    async list(asked) {
      const keys = new Set([...(await main.list(asked)), ...(await apart.list(asked))])
      return [...keys].sort()
    },
    fileOf: (key) => (isApart(key) ? apart : main).fileOf(key),
  }
}
