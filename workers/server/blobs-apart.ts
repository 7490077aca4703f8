import type { BlobFiles } from './blobs-directory.ts'

/** Blobs in two stores: blobs under a prefix are written to a store of their own. Earlier blobs under the prefix are found and
 * deleted in the main store. */
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
