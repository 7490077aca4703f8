import { lchown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { runProgram } from '../programs.ts'

const BYTES_PER_FILE = 4_096

/** Mounts a directory in memory with a maximum size. @throws {Error} if this process may not mount */
export async function mountWorkFolder(path: string, sizeMaxBytes: number): Promise<void> {
  const files = Math.ceil(sizeMaxBytes / BYTES_PER_FILE)
  const options = `size=${sizeMaxBytes},nr_inodes=${files},mode=0711,nosuid,nodev`
  await run(['mount', '-t', 'tmpfs', '-o', options, 'tidemark-room', path])
}

/** Removes a directory with its content, and its mount if `mountWorkFolder` mounted one. */
export async function dropWorkFolder(path: string): Promise<void> {
  const device = (at: string) => lstat(at).then(({ dev }) => dev)
  if ((await device(path)) !== (await device(join(path, '..')))) await run(['umount', '--lazy', path])
  await rm(path, { recursive: true, force: true })
}

/** Removes the directories below a directory that runners have left behind. */
export async function dropWorkFoldersBelow(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const name of await readdir(directory)) await dropWorkFolder(join(directory, name))
}

/** Makes a user the owner of a directory and its content. Links are not followed. Files with a second name keep their
 * owner: that name may be outside the run's directory. */
export async function giveTo(uid: number, path: string): Promise<void> {
  const stat = await lstat(path)
  if (stat.isFile() && stat.nlink > 1) return
  if (stat.uid !== uid) await lchown(path, uid, uid)
  if (!stat.isDirectory()) return
  for (const name of await readdir(path)) await giveTo(uid, join(path, name))
}

async function run(command: string[]): Promise<void> {
  const { code, stderr } = await runProgram(command)
  if (code !== 0) throw new Error(`${command[0]}: ${stderr.trim() || `exit code ${code}`}`)
}
