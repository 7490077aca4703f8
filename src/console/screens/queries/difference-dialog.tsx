import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { SelectField } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { linesOf, parametersText } from './difference.ts'
import type { Compared, Line } from './difference.ts'
import type { Version } from './query.ts'

/** The draft stands behind all versions. */
const DRAFT = 'draft'

/** Compares a version with another one, or with the draft. */
export function DifferenceDialog({
  versions,
  draft,
  chosen,
  onClose,
}: {
  readonly versions: readonly Version[]
  /** The draft as it is stored. */
  readonly draft: Compared
  readonly chosen: number
  readonly onClose: () => void
}): JSX.Element {
  const before = versions.find(({ number }) => number < chosen)
  const [from, setFrom] = useState(String(before?.number ?? chosen))
  const [to, setTo] = useState(before === undefined ? DRAFT : String(chosen))
  const sideOf = (name: string): Compared => versions.find(({ number }) => String(number) === name) ?? draft
  const options = [
    { value: DRAFT, text: t('queries.draft') },
    ...versions.map(({ number }) => ({ value: String(number), text: t('queries.version', { number }) })),
  ]
  return (
    <Dialog title={t('queries.compare')} wide onClose={onClose}>
      <div class="col spread">
        <div class="form-grid">
          <SelectField label={t('queries.compareFrom')} value={from} options={options} onValue={setFrom} />
          <SelectField label={t('queries.compareTo')} value={to} options={options} onValue={setTo} />
        </div>
        <Differences from={sideOf(from)} to={sideOf(to)} />
      </div>
    </Dialog>
  )
}

function Differences({ from, to }: { readonly from: Compared; readonly to: Compared }): JSX.Element {
  const sources = useGet('/dataSources', {})
  const nameOf = (id: number): string => sources.data?.items.find((one) => one.id === id)?.name ?? `#${id}`
  const parts = [
    ['queries.source', linesOf(nameOf(from.dataSourceId), nameOf(to.dataSourceId))],
    ['queries.text', linesOf(from.text, to.text)],
    ['queries.parameters', linesOf(parametersText(from.parameters), parametersText(to.parameters))],
  ] as const
  if (parts.every(([, lines]) => lines === null)) return <p role="status">{t('queries.noDifference')}</p>
  return <>{parts.map(([title, lines]) => lines && <Part key={title} title={t(title)} lines={lines} />)}</>
}

function Part({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }): JSX.Element {
  const count = (kind: Line['kind']): number => lines.filter((line) => line.kind === kind).length
  return (
    <section>
      <h3>
        {title}{' '}
        <span class="label">
          {t('queries.changedLines', { added: count('added'), removed: count('removed') })}
        </span>
      </h3>
      <ol class="difference mono" tabIndex={0} aria-label={title}>
        {lines.map((line, at) => (
          <li key={at} data-kind={line.kind}>
            <LineText line={line} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function LineText({ line }: { readonly line: Line }): JSX.Element {
  if (line.kind === 'skip') return <span class="faint">{t('queries.equalLines', { count: line.count })}</span>
  const { kind, text } = line
  if (kind === 'same') return <>{text}</>
  const Changed = kind === 'added' ? 'ins' : 'del'
  return (
    <>
      <span class="vh">{t(`queries.line.${kind}`)} </span>
      <Changed>{text}</Changed>
    </>
  )
}
