import { Refusal, noSuch } from '../../lib/errors.ts'
import { directoriesOf } from './path.ts'

/** Files, and directories that a user made. */
export const ENTRIES_MAX = 2_000
export const FILE_MAX_BYTES = 10 * 1024 * 1024
export const TREE_MAX_BYTES = 50 * 1024 * 1024

/** A file, or a directory that a user made; `blob` is null and `sha256` empty for the latter. */
export type TreeEntry = {
  readonly path: string
  readonly isDirectory: boolean
  readonly blob: string | null
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly mimeType: string
  readonly isText: boolean
  readonly updatedAt: number
}

/** The entries of a script's tree, by path, including directories that only have entries. */
export type Tree = ReadonlyMap<string, TreeEntry>

/** Paths that go, and then entries that come, in place of those that have their paths. */
export type TreeChange = { readonly removes: readonly string[]; readonly puts: readonly TreeEntry[] }

export function treeOf(entries: readonly TreeEntry[]): Tree {
  return new Map(entries.map((entry) => [entry.path, entry]))
}

/** Every directory of a tree. */
export function allDirectories(tree: Tree): Set<string> {
  const made = [...tree.values()].flatMap(({ path, isDirectory }) => (isDirectory ? [path] : []))
  return new Set([...made, ...[...tree.keys()].flatMap(directoriesOf)])
}

/** The entry at a path and all entries below it, by their paths; empty for a missing path. */
export function entriesAt(tree: Tree, path: string): TreeEntry[] {
  return [...tree.values()].filter((entry) => entry.path === path || entry.path.startsWith(`${path}/`))
}

/** Puts a file or makes a directory. @throws {Refusal} conflict where the other of the two has the path */
export function putting(tree: Tree, entry: TreeEntry): TreeChange {
  const there = tree.get(entry.path)
  const isDirectory = there?.isDirectory ?? entriesAt(tree, entry.path).length > 0
  if (isDirectory && !entry.isDirectory) throw new Refusal('conflict', 'There is a directory at this path.')
  if (there && entry.isDirectory !== there.isDirectory)
    throw new Refusal('conflict', 'There is a file at this path.')
  return { removes: [], puts: [entry] }
}

/** Takes away what is at a path, with all that is below. @throws {Refusal} not_found */
export function removing(tree: Tree, path: string): TreeChange {
  return { removes: some(tree, path).map((entry) => entry.path), puts: [] }
}

/** Moves what is at a path, with all that is below. @throws {Refusal} not_found, conflict where something has the new path,
 * invalid for a path within itself */
export function moving(tree: Tree, from: string, to: string): TreeChange {
  const moved = some(tree, from)
  if (to === from || to.startsWith(`${from}/`))
    throw refused('/to', 'must not be the same path or a path below it')
  if (entriesAt(tree, to).length > 0)
    throw new Refusal('conflict', 'A file or directory with the new path exists.')
  return {
    removes: moved.map(({ path }) => path),
    puts: moved.map((entry) => ({ ...entry, path: to + entry.path.slice(from.length) })),
  }
}

/** The tree after a change.
 * @param pointer to what is at fault where the tree could not be like that
 * @throws {Refusal} invalid for more than 2,000 entries or 50 MiB, conflict for a file that something would be in */
export function changed(tree: Tree, { removes, puts }: TreeChange, pointer: string): Tree {
  const after = new Map(tree)
  for (const path of removes) after.delete(path)
  for (const entry of puts) after.set(entry.path, entry)
  if (after.size > ENTRIES_MAX) throw refused(pointer, `would exceed ${ENTRIES_MAX} files and directories`)
  const sizeBytes = [...after.values()].reduce((sum, entry) => sum + entry.sizeBytes, 0)
  if (sizeBytes > TREE_MAX_BYTES) throw refused(pointer, `would exceed ${TREE_MAX_BYTES} bytes in total`)
  for (const { path } of puts) {
    const file = directoriesOf(path).find((directory) => after.get(directory)?.isDirectory === false)
    if (file !== undefined)
      throw new Refusal('conflict', 'A file exists at the path of a required directory.')
  }
  return after
}

/** The blobs that only one of two trees has: those that came, and those that nothing refers to any more. */
export function blobsBetween(
  before: Tree,
  after: Tree,
): { readonly came: string[]; readonly went: string[] } {
  const [was, is] = [blobsOf(before), blobsOf(after)]
  return { came: [...is.difference(was)], went: [...was.difference(is)] }
}

function blobsOf(tree: Tree): Set<string> {
  return new Set([...tree.values()].flatMap(({ blob }) => blob ?? []))
}

function some(tree: Tree, path: string): TreeEntry[] {
  const entries = entriesAt(tree, path)
  if (entries.length === 0) throw noSuch('file or directory')
  return entries
}

function refused(pointer: string, message: string): Refusal {
  return new Refusal('invalid', 'The files of the script would be invalid; see errors.', [
    { pointer, message },
  ])
}
