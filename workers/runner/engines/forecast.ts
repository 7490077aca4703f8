import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { hasProgram, Unprepared } from './engine.ts'
import type { Engine, Preparation } from './engine.ts'
import { activated, buildByPip, pythonVersion } from './python.ts'

/** The engine of forecasts, which is a part of the runner. */
const ENGINE = join(import.meta.dirname, '../forecast')
const PARTS = [
  'main.py',
  'backtest.py',
  'choose.py',
  'conformal.py',
  'contract.py',
  'free_days.py',
  'search.py',
  'seasons.py',
  'series.py',
  'kinds',
]
/** Kinds that need numerical packages only, whose environment is ready within seconds. */
const PLAIN = new Set(['naive', 'linear_regression'])
const OWN = 'custom:'

/** A forecast: the engine of the runner, with the packages that its kind of model needs. */
export const forecast: Engine = {
  async isHere() {
    return hasProgram('python3') && (await pythonVersion()) !== ''
  },

  async prepare(preparation) {
    const { tree, forecast: wanted } = preparation
    if (!wanted) throw new Unprepared('The run names no kind of forecast.')
    for (const part of PARTS) await cp(join(ENGINE, part), join(tree, part), { recursive: true })
    await placeOwn(preparation, wanted.kind)
    const environment = await environmentOf(preparation, PLAIN.has(wanted.kind) ? 'core' : 'models')
    return {
      argv: [join(environment.path, 'bin/python'), join(tree, 'main.py')],
      env: { PYTHONUNBUFFERED: '1', ...activated(environment.path) },
      readOnly: [environment.path],
      release: () => environment.release(),
    }
  },
}

/** Copies the files of the operator to the engine. */
async function placeOwn({ tree, forecastFiles }: Preparation, kind: string): Promise<void> {
  const own = kind.startsWith(OWN) ? kind.slice(OWN.length) : null
  if (own !== null && !forecastFiles.has(own))
    throw new Unprepared(`This runner has no file for the kind ${kind} any more.`)
  await mkdir(join(tree, 'own'))
  for (const [name, path] of forecastFiles)
    await writeFile(join(tree, 'own', `${name}.py`), await readFile(path))
}

async function environmentOf(preparation: Preparation, lock: 'core' | 'models') {
  const { environments, scratch, note, signal } = preparation
  const text = await readFile(join(ENGINE, 'locks', `${lock}.txt`), 'utf8')
  const what = JSON.stringify(['forecast', await pythonVersion(), text])
  const key = createHash('sha256').update(what).digest('hex')
  const build = async (path: string) => {
    note('Preparing the Python environment of forecasts.')
    const folder = join(scratch, 'files')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'requirements.txt'), text)
    await buildByPip(preparation, { path, folder })
  }
  return environments.use(key, build, signal)
}
