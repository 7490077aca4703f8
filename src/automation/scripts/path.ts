import { filenameOf } from '../../content/files/filename.ts'

/** How many names a path may have, the file's with it. */
const DEPTH_MAX = 16
const PATH_MAX_BYTES = 1_024

/** The path of a file or a folder in a script's tree: names of `content/files` with slashes between, composed (NFC), 16 at most and
 * 1,024 bytes in all. Null for any other text: an absolute path, one with `..` or an empty part, or one with a backslash. */
export function pathOf(text: string): string | null {
  const parts = text.split('/')
  if (parts.length > DEPTH_MAX) return null
  const names = parts.map(filenameOf)
  const path = names.join('/')
  return names.includes(null) || new TextEncoder().encode(path).byteLength > PATH_MAX_BYTES ? null : path
}

/** The directories that a path is in, the outermost first. */
export function directoriesOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The directory that a path is directly in; empty for the root of the tree. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A path in a directory, or in the root of the tree. */
export function within(directory: string, path: string): string {
  return directory === '' ? path : `${directory}/${path}`
}
