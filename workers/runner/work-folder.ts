import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { JobDirectory } from './left-files.ts'

/** The directories of a job. */
export type WorkFolderPaths = Readonly<Record<(typeof PARTS)[number], string>>

/** The folder in which a job works, and the files that it leaves there. */
export type WorkFolder = {
  readonly paths: WorkFolderPaths
  readonly directories: Readonly<Record<'tree' | 'outputs' | 'state', JobDirectory>>
  close(): Promise<void>
}

const PARTS = [
  /** The script's files, where it works. */
  'tree',
  /** The uploaded files of the order. */
  'uploads',
  /** Files that it leaves here are published. */
  'outputs',
  /** The job may write its progress here. */
  'state',
  /** Links to files of this machine that it may read. */
  'files',
  'temporary',
  /** Scratch space of the preparation. */
  'scratch',
] as const

/** Makes the directories of a job in an empty one. */
export async function openWorkFolder(path: string): Promise<WorkFolder> {
  for (const part of PARTS) await mkdir(join(path, part))
  const paths = Object.fromEntries(PARTS.map((part) => [part, join(path, part)])) as WorkFolderPaths
  const tree = await JobDirectory.open(paths.tree)
  const outputs = await JobDirectory.open(paths.outputs)
  const state = await JobDirectory.open(paths.state)
  return {
    paths,
    directories: { tree, outputs, state },
    async close() {
      for (const directory of [tree, outputs, state]) await directory.close()
    },
  }
}

/** Writes a file of a tree. @throws {RangeError} when its path leads out of it */
export async function writeInto(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const to = await placeFor(folder, path)
  await writeFile(to, bytes)
}

/** Makes a link in a tree. @throws {RangeError} when its path leads out of it */
export async function linkInto(folder: string, path: string, target: string): Promise<void> {
  await symlink(target, await placeFor(folder, path))
}

/** Makes a directory of a tree. @throws {RangeError} when its path leads out of it */
export async function makeFolders(folder: string, path: string): Promise<void> {
  await mkdir(inside(folder, path), { recursive: true })
}

async function placeFor(folder: string, path: string): Promise<string> {
  const to = inside(folder, path)
  await mkdir(dirname(to), { recursive: true })
  return to
}

/** The service has checked the paths already; the runner checks them again before it writes files. */
function inside(folder: string, path: string): string {
  const isPlain = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (!isPlain || path.includes('\0')) throw new RangeError('A path of a run is outside of its directory.')
  return join(folder, path)
}
