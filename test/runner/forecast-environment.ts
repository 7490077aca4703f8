import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const UV = 'uv==0.13.9'
const ROOT = join(import.meta.dirname, '../..')

/** The directory of the forecast engine. */
export const ENGINE = join(ROOT, 'workers/runner/forecast')

/** Python with the packages of a lock file of the forecast engine; it is made once for each lock file.
 * @returns the path of the interpreter */
export async function pythonWith(lock: 'test' | 'bench'): Promise<string> {
  const file = join(ENGINE, `locks/${lock}.txt`)
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16)
  const environments = join(ROOT, 'node_modules/.cache/forecast')
  const environment = join(environments, `${lock}-${digest}`)
  const python = join(environment, 'bin/python')
  if (existsSync(join(environment, 'ready'))) return python
  await mkdir(environments, { recursive: true })
  await rm(environment, { recursive: true, force: true })
  await run('/usr/bin/python3', '-m', 'venv', environment)
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile']
  await run(python, '-m', 'pip', 'install', ...quiet, '--require-hashes', '-r', file)
  await Bun.write(join(environment, 'made'), '')
  await rename(join(environment, 'made'), join(environment, 'ready'))
  return python
}

/** The installer that made the lock files (`lock.sh`): unlike pip, it installs for other versions and platforms.
 * @returns the path of the program */
export async function installerOfWheels(): Promise<string> {
  const environment = join(ROOT, 'node_modules/.cache/forecast/uv')
  const uv = join(environment, 'bin/uv')
  if (existsSync(uv)) return uv
  await run('/usr/bin/python3', '-m', 'venv', environment)
  await run(join(environment, 'bin/python'), '-m', 'pip', 'install', '--quiet', UV)
  return uv
}

/** Runs a program. @throws {Error} if it fails */
export async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`)
}
