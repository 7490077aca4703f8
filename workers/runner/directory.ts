import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const OTHERS_ENTER = 0o001
const OTHERS_WRITE = 0o022

/** Creates the directory of a runner, or takes over the one of an earlier process. It must belong to this user, and runs must
 * be able to reach it as other users. @returns its absolute path
 * @throws {RangeError} saying what is wrong with it */
export async function takeDirectory(path: string): Promise<string> {
  const dir = resolve(path)
  const fault = (why: string) => new RangeError(`TIDEMARK_RUNNER_DIR ${dir} ${why}.`)
  await mkdir(dir, { recursive: true, mode: 0o711 })
  const found = await lstat(dir)
  const uid = process.getuid?.() ?? 0
  if (!found.isDirectory() || found.uid !== uid || (found.mode & OTHERS_WRITE) !== 0)
    throw fault("must be a directory that only the runner's user owns and can write")
  for (let at = dir; uid === 0 && at !== '/'; at = dirname(at)) {
    if (((await stat(at)).mode & OTHERS_ENTER) === 0)
      throw fault(`lies in ${at}, which other users cannot enter, although runs use other users`)
  }
  return dir
}
