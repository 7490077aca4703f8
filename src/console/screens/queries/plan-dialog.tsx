import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { Answer, Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import { Check } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { FailureNote, Note, Progress } from '../../kit/feedback.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog, Refusals } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { textBodyOf } from './query.ts'
import type { QueryDraft } from './query.ts'

type Plan = Exclude<Answer<'/dataQueries/explain', 'post'>, Answer<'/operations/{id}'>>
type Node = Plan['plan']

/** How the database runs the text as it is typed: its steps as a tree, and reasons why it may be slow. */
export function PlanDialog({
  draft,
  texts,
  onClose,
}: {
  readonly draft: QueryDraft
  readonly texts: Readonly<Record<string, string>>
  readonly onClose: () => void
}): JSX.Element {
  const [analyze, setAnalyze] = useState(false)
  const { plan, failure } = usePlan(draft, texts, analyze)
  return (
    <Dialog title={t('queries.plan')} onClose={onClose} wide>
      <div class="col">
        <Check label={t('queries.analyze')} checked={analyze} onChange={setAnalyze} />
        {!plan && !failure && <Progress value={null} label={t('queries.explaining')} />}
        {failure && <FailureNote failure={failure} what={t('queries.noPlan')} />}
        {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
        {plan && (
          <>
            {plan.warnings.map((warning) => (
              <Note key={warning} kind="warning">
                <span lang="en">{warning}</span>
              </Note>
            ))}
            {plan.dialect === 'sqlite' && plan.plan.rows !== null && (
              <p class="label">{t('queries.sqliteRows')}</p>
            )}
            <ul class="plan" aria-label={t('queries.plan')}>
              <Step node={plan.plan} />
            </ul>
            <details>
              <summary>{t('queries.statement')}</summary>
              <Code label={t('queries.statement')} text={plan.sql} />
              {plan.text !== null && <Code label={t('queries.planText')} text={plan.text} />}
            </details>
          </>
        )}
      </div>
    </Dialog>
  )
}

/** A step of a plan with the steps that it reads. */
function Step({ node }: { readonly node: Node }): JSX.Element {
  const { name, relation, index, condition, estimatedRows, rows, durationMs, children } = node
  const figures = [
    estimatedRows !== null && t('queries.estimated', { count: Math.round(estimatedRows) }),
    rows !== null && t('queries.readRows', { count: Math.round(rows) }),
    durationMs !== null && t('data.ms', { ms: numberText(durationMs, 1) }),
  ].filter((text) => text !== false)
  return (
    <li>
      <div class="step">
        <b>{name}</b>
        {[relation, index]
          .filter((text) => text !== null)
          .map((text) => (
            <code key={text}>{text}</code>
          ))}
        <span class="faint end">{figures.join(' · ')}</span>
        {condition !== null && <div class="path">{condition}</div>}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <Step key={at} node={child} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** Explains a text, anew when it is to run. */
function usePlan(
  draft: QueryDraft,
  texts: Readonly<Record<string, string>>,
  analyze: boolean,
): { readonly plan: Plan | null; readonly failure: Failure | null } {
  const [state, setState] = useState<{ readonly plan: Plan | null; readonly failure: Failure | null }>({
    plan: null,
    failure: null,
  })
  const asked = useRef({ draft, texts })
  useEffect(() => {
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      setState({ plan: null, failure: null })
      const { draft: of, texts: typed } = asked.current
      const body = { ...textBodyOf(of, typed), analyze }
      try {
        const request = { body } as Call<'/dataQueries/explain', 'post'>
        const plan = await follow('/dataQueries/explain', request, { signal: abort.signal, wait: 'PT5S' })
        if (!abort.signal.aborted) setState({ plan, failure: null })
      } catch (error) {
        if (!abort.signal.aborted) setState({ plan: null, failure: asFailure(error) })
      }
    }
    void read()
    return () => abort.abort()
  }, [analyze])
  return state
}
