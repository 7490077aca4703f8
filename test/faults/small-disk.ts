import { open, statfs } from 'node:fs/promises'

const DISK_MIB = 64

export const SMALL_DISK_BYTES = DISK_MIB * 1024 * 1024

/** Makes a folder a file system of its own that is soon full. @returns false where mounting is not allowed */
export function mountSmallDisk(folder: string): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'none']
  if (Bun.spawnSync(['mount', ...options, folder]).exitCode === 0) return true
  console.error('MOUNTING IS NOT ALLOWED HERE: no disk is really full.')
  return false
}

export function unmountSmallDisk(folder: string): void {
  Bun.spawnSync(['umount', '-l', folder])
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Writes a file that takes all free bytes of its file system. The service may take some of them first. */
export async function takeFreeBytes(folder: string, file: string): Promise<void> {
  const handle = await open(file, 'w')
  try {
    await handle.writeFile(new Uint8Array(await freeBytes(folder)))
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause
  } finally {
    await handle.close()
  }
}
