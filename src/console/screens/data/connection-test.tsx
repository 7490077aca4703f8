import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer, Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { Button } from '../../kit/controls.tsx'
import { FailureNote, Note } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import { bodyOf, isComplete } from './source-draft.ts'
import type { SourceDraft } from './source-draft.ts'

type Result = Answer<'/dataSources/test', 'post'>
const TITLES: ReadonlySet<string> = new Set([
  'forbidden',
  'source_unavailable',
  'tls_unsupported_here',
  'query_timeout',
])

/** Connects as the form says, and stores nothing. A result is gone once the form changes. */
export function ConnectionTest({ draft }: { readonly draft: SourceDraft }): JSX.Element {
  const [result, setResult] = useState<Result | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const test = async (): Promise<void> => {
    setResult(null)
    setFailure(null)
    try {
      const body = bodyOf({ ...draft, name: draft.name.trim() === '' ? '-' : draft.name })
      setResult(await call('post', '/dataSources/test', { body } as Call<'/dataSources/test', 'post'>))
    } catch (error) {
      setFailure(asFailure(error))
    }
  }
  const key = JSON.stringify(bodyOf(draft))
  useEffect(() => {
    setResult(null)
    setFailure(null)
  }, [key])
  return (
    <div class="col">
      <div class="row wrap">
        <Button icon="play" refused={refusedToTest(draft)} action={test}>
          {t('data.test')}
        </Button>
        <span class="label">{refusedToTest(draft) ?? t('data.testHint')}</span>
      </div>
      <div role="status">{result && <Outcome result={result} type={draft.type} />}</div>
      {failure && <FailureNote failure={failure} what={t('data.testFailed')} />}
      {failure && failure.errors.length > 0 && (
        <ul class="refusals">
          {failure.errors.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function refusedToTest(draft: SourceDraft): string | undefined {
  if (draft.password === null) return t('data.testPassword')
  return isComplete({ ...draft, name: '-' }) ? undefined : t('data.testIncomplete')
}

function Outcome({ result, type }: { readonly result: Result; readonly type: string }): JSX.Element {
  const { problem, latencyMs, serverVersion, writable, warnings } = result
  if (problem)
    return (
      <Note kind="major">
        <b>{TITLES.has(problem.code) ? t(`data.problem.${problem.code}`) : t('data.testFailed')}</b>
        <div class="wrapped">{problem.detail}</div>
      </Note>
    )
  return (
    <div class="col">
      <Note kind="ok" icon="check">
        <b>{t('data.connected', { ms: latencyMs })}</b> {t(`data.type.${type}`)} {serverVersion}.{' '}
        {writable !== null && t(writable ? 'data.mayWrite' : 'data.mayRead')}
      </Note>
      {warnings.map((warning) => (
        <Note key={warning} kind="warning">
          {t(`data.warning.${warning}`)}
        </Note>
      ))}
    </div>
  )
}
