import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readForecastFiles } from './forecast-files.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-forecasts-'))
  await writeFile(join(folder, 'croston.py'), 'def fit_predict(series, horizon, params): ...\n')
  await writeFile(join(folder, 'notes.txt'), '')
})
afterAll(() => rm(folder, { recursive: true }))

test('a Python file is a kind under its name', async () => {
  const { files, refusal } = await readForecastFiles(folder)
  expect([[...files.keys()], refusal]).toEqual([['croston'], null])
  expect(await readForecastFiles(null)).toEqual({ files: new Map(), refusal: null })
})

test('links and files that others may change are left out, with the reason', async () => {
  await writeFile(join(folder, 'open.py'), '')
  await chmod(join(folder, 'open.py'), 0o664)
  await symlink('/etc/passwd', join(folder, 'linked.py'))
  const { files, refusal } = await readForecastFiles(folder)
  expect([...files.keys()]).toEqual(['croston'])
  expect(refusal).toBe(
    'forecast.script.location: linked.py is a link; open.py can be changed by users besides its owner',
  )
})

test('a directory that others may change, that is missing or relative has no kinds', async () => {
  for (const location of ['forecasts', join(folder, 'missing')])
    expect((await readForecastFiles(location)).refusal).not.toBeNull()
  await chmod(folder, 0o775)
  const { files, refusal } = await readForecastFiles(folder)
  expect([files.size, refusal]).toEqual([
    0,
    `forecast.script.location: ${folder} can be changed by users besides its owner`,
  ])
})
