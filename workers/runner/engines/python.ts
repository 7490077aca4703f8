import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'

import type { Assignment } from '../../../src/automation/runs/protocol.ts'
import { detect } from '../../../src/automation/scripts/detection.ts'
import { runProgram } from '../programs.ts'
import { hasProgram, readyMade, SYSTEM_PATH, Unprepared } from './engine.ts'
import type { Argv, Engine, Preparation } from './engine.ts'
import { pointsIntoTree } from './requirements.ts'

const PYTHON = '/usr/bin/python3'
const POETRY = '/usr/bin/poetry'

type Manager = Exclude<Assignment['script']['dependencyManager'], 'none'>

/** `main.py`, with the packages of its `pyproject.toml` (Poetry) or `requirements.txt` (pip). */
export const python: Engine = {
  async isHere() {
    return hasProgram('python3') && (await pythonVersion()) !== ''
  },

  async prepare(preparation) {
    const { script, tree, arguments: given } = preparation
    const main = join(tree, script.runnerFile)
    const env = { PYTHONUNBUFFERED: '1' }
    if (script.dependencyManager === 'none') return readyMade([PYTHON, main, ...given], env)
    const environment = await environmentOf(preparation, script.dependencyManager)
    return {
      argv: [join(environment.path, 'bin/python'), main, ...given],
      env: { ...env, ...activated(environment.path) },
      readOnly: [environment.path],
      release: () => environment.release(),
    }
  },
}

async function environmentOf(preparation: Preparation, manager: Manager) {
  const { files, tree, environments, scratch, note, signal } = preparation
  const manifest = detect(files.map(({ path }) => path)).dependencyFile
  if (manifest === null) throw new Unprepared(`The script no longer has a ${manager} manifest.`)
  const text = await readFile(join(tree, manifest), 'utf8')
  const seen = pointsIntoTree(manager, text) ? files : files.filter(({ path }) => isPinned(path, manifest))
  const version = await pythonVersion()
  const what = JSON.stringify([manager, version, manifest, ...seen.map(({ path, sha256 }) => [path, sha256])])
  const key = createHash('sha256').update(what).digest('hex')
  const build = async (path: string) => {
    note(`Preparing a Python environment for ${manifest}.`)
    // Only the files that the key is made of: two scripts with the same key get the same environment.
    for (const file of seen) await copyInto(scratch, tree, file.path)
    const folder = join(scratch, 'files', dirname(manifest))
    await (manager === 'poetry' ? buildByPoetry : buildByPip)(preparation, { path, folder })
  }
  return environments.use(key, build, signal)
}

type Building = {
  /** The path of the new environment. */
  readonly path: string
  /** The directory of the manifest. */
  readonly folder: string
}

/** Makes an environment of the requirements.txt in a folder. */
export async function buildByPip(preparation: Preparation, { path, folder }: Building): Promise<void> {
  const build = steps(preparation, { path, folder }, outsideSettings('PIP_'))
  await build([PYTHON, '-I', '-m', 'venv', path])
  const options = ['--no-input', '--no-cache-dir', '--disable-pip-version-check', '--progress-bar', 'off']
  await build([join(path, 'bin/python'), '-I', '-m', 'pip', 'install', ...options, '-r', 'requirements.txt'])
}

async function buildByPoetry(preparation: Preparation, { path, folder }: Building): Promise<void> {
  if (!hasProgram('poetry'))
    throw new Unprepared(
      'The script requires Poetry, which this runner does not have. Choose a runner with Poetry by its labels.',
    )
  const build = steps(preparation, { path, folder }, outsideSettings('PIP_', 'POETRY_'))
  await build([PYTHON, '-I', '-m', 'venv', path])
  await build([POETRY, 'install', '--no-root', '--only', 'main', '--no-interaction', '--no-ansi'])
}

function steps(
  { step, scratch }: Preparation,
  { path, folder }: Building,
  outside: Readonly<Record<string, string>>,
) {
  const own = { HOME: scratch, TMPDIR: scratch, POETRY_CACHE_DIR: join(scratch, 'poetry') }
  const env = { ...outside, ...own, ...activated(path) }
  // Such as certificates, and directories of packages.
  const readOnly = Object.values(outside).filter((value) => isAbsolute(value) && existsSync(value))
  return (argv: Argv) => step({ argv, cwd: folder, env, readOnly, writable: [path, scratch] })
}

/** Whether a file is the manifest or its lock file. */
function isPinned(path: string, manifest: string): boolean {
  return path === manifest || path === join(dirname(manifest), 'poetry.lock')
}

async function copyInto(scratch: string, tree: string, path: string): Promise<void> {
  const to = join(scratch, 'files', path)
  await mkdir(dirname(to), { recursive: true })
  await copyFile(join(tree, path), to)
}

/** The variables of an environment. */
export function activated(path: string): Record<string, string> {
  return { VIRTUAL_ENV: path, PATH: `${path}/bin:${SYSTEM_PATH}` }
}

/** The operator's settings of pip and Poetry: index and certificates. */
function outsideSettings(...prefixes: readonly string[]): Record<string, string> {
  const isMeant = (name: string) => prefixes.some((prefix) => name.startsWith(prefix))
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      isMeant(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}

/** The version with its build; empty where Python does not run. It is not cached: an operator may upgrade Python. */
export async function pythonVersion(): Promise<string> {
  const { code, stdout } = await runProgram([PYTHON, '-I', '-c', 'import sys, venv; print(sys.version)'])
  return code === 0 ? stdout.trim() : ''
}
