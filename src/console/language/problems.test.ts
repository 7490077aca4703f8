import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Failure } from '../api/failure.ts'
import { faultText, problemWords } from './problems.ts'
import { changeLanguage, loadWords } from './t.ts'

const refusal = (code: string, detail: string, errors: Failure['errors'] = []) =>
  new Failure({ status: 422, code, detail, errors })

beforeAll(async () => {
  Object.assign(globalThis, { document: { documentElement: {} } })
  await loadWords(problemWords)
  await changeLanguage('de')
})
afterAll(() => Reflect.deleteProperty(globalThis, 'document'))

test('a refusal is in the language of the page, and has the detail of the API where that says more', () => {
  expect(refusal('conflict', 'The table has rows.')).toMatchObject({
    message: 'Der jetzige Zustand lässt das nicht zu.',
    original: 'The table has rows.',
  })
  expect(refusal('not_found', 'There is no such job.')).toMatchObject({
    message: 'Das gibt es nicht, oder Sie dürfen es nicht sehen.',
    original: null,
  })
})

test('faults of fields are in the language of the page, with their values', () => {
  const failure = refusal('invalid', 'The body is invalid; see errors.', [
    { pointer: '/name', message: 'must have at most 200 characters' },
    { pointer: '/state', message: 'must be one of ok, (warning), major' },
    { pointer: '/odd', message: 'must rhyme' },
  ])
  expect(failure.original).toBeNull()
  expect(failure.at('/name')).toBe('darf höchstens 200 Zeichen haben')
  expect(failure.at('/state')).toBe('muss eines von diesen sein: ok, (warning), major')
  expect(failure.elsewhere).toEqual([{ pointer: '/odd', message: 'must rhyme' }])
  expect(faultText('has the name of another user: ada')).toBe('hat den Namen eines anderen Benutzers: ada')
})

test('faults of an import are in the language of the page, also the fault that its detail repeats', () => {
  const message = 'Sheet May: The value is not of the type integer.'
  const failure = refusal('import_failed', message, [{ pointer: '/file/7/qty', message }])
  expect(failure).toMatchObject({ message: 'Blatt May: Der Wert ist keine ganze Zahl.', original: null })
  expect(failure.at('/file/7/qty')).toBe(failure.message)
  expect(faultText('The file is a Parquet file, not CSV. Set kind to parquet if it is one.')).toBe(
    'Die Datei ist eine Parquet-Datei, nicht CSV. Wählen Sie die Art parquet, wenn das stimmt.',
  )
})

test('results of notifications are in the language of the page, with the answer of the receiver as it is', () => {
  expect(faultText('The receiver did not answer in time.')).toBe(
    'Der Empfänger hat nicht rechtzeitig geantwortet.',
  )
  expect(faultText('The receiver answered 500: oops')).toBe('Der Empfänger antwortete 500: oops')
  expect(faultText('The receiver answered 302: redirects are not followed.')).toBe(
    'Der Empfänger antwortete 302: Weiterleitungen werden nicht befolgt.',
  )
})

test('the end of a run is in the language of the page, with the reason within it', () => {
  expect(faultText('Attempt 2 was lost: the runner stopped responding.')).toBe(
    'Versuch 2 ging verloren: der Runner antwortet nicht mehr.',
  )
  expect(faultText('The script ended with exit code 3.')).toBe('Das Skript endete mit dem Exit-Code 3.')
  expect(faultText('lost: Attempt 1 was lost: the runner was deleted.')).toBe(
    'verloren: Versuch 1 ging verloren: der Runner wurde gelöscht.',
  )
  expect(faultText('The run j_1 ended as lost. Attempt 1 was lost: the runner was deleted.')).toBe(
    'Der Lauf j_1 endete: verloren. Versuch 1 ging verloren: der Runner wurde gelöscht.',
  )
  const gone =
    'The user who last changed the run configuration was deleted, or may not run scripts any more. Ask an administrator to save it again.'
  expect(faultText(gone)).toBe(
    'Der Benutzer, der die Konfiguration zuletzt geändert hat, wurde gelöscht oder darf keine Skripte mehr ausführen. Bitten Sie einen Administrator, erneut zu speichern.',
  )
})

test('an unknown code has the detail of the API', () => {
  expect(refusal('http_418', 'A teapot.')).toMatchObject({ message: 'A teapot.', original: null })
})

test('in English all is as the API has it, also after another language', async () => {
  await changeLanguage('en')
  expect(faultText('is missing')).toBe('is missing')
  expect(refusal('not_found', 'There is no such job.').message).toBe('There is no such job.')
})
