import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, PageHead } from '../../kit/data.tsx'
import { FailureNote, Note, Progress, Show } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { ColumnsCard } from './import-columns.tsx'
import { Faults } from './import-faults.tsx'
import { FormatCard } from './import-format.tsx'
import { TargetCard } from './import-target.tsx'
import { faultsOf, MODES } from './import-plan.ts'
import type { ImportResult, Mode } from './import-plan.ts'
import { hasFiles, refusedToChange, sourceLink, tableLink } from './sources.ts'
import type { Source } from './sources.ts'
import { createSet, useFileImport } from './use-file-import.ts'
import type { FileImport } from './use-file-import.ts'

/** Turns a file into a table: drop it, look at what was found, correct it, import it. */
export function ImportPage(): JSX.Element {
  const { id } = useRoute().params
  const sources = useGet('/dataSources', {})
  const source = sources.data?.items.find((one) => String(one.id) === id)
  return (
    <>
      <PageHead
        crumbs={[
          { text: t('data.title'), href: linkTo('data') },
          ...(source ? [{ text: source.name, href: sourceLink(source.id) }] : []),
        ]}
        title={t('data.import')}
        sentence={t('data.say.import')}
      />
      <div class="body">
        <Show resource={sources} what={t('data.failed')}>
          {({ items }) =>
            refusedToChange() === undefined ? (
              <Wizard sources={items.filter(hasFiles)} first={source} />
            ) : (
              <Note icon="lock">{refusedToChange()}</Note>
            )
          }
        </Show>
      </div>
    </>
  )
}

type WizardProps = { readonly sources: readonly Source[]; readonly first: Source | undefined }

function Wizard({ sources, first }: WizardProps): JSX.Element {
  const [table] = useQuery<string>('table', '')
  const [mode] = useQuery<Mode>('mode', 'create')
  const [into, setInto] = useState(() => String(first?.id ?? sources[0]?.id ?? ''))
  const [name, setName] = useState(t('data.newSetName'))
  const plan = useFileImport({ table, mode: MODES.find((one) => one === mode) ?? 'create' })
  const choose = (file: File): void =>
    background(
      plan.choose(file, async () => {
        if (into !== '') return Number(into)
        const made = await createSet(name)
        setInto(String(made))
        return made
      }),
    )
  if (plan.result && plan.sourceId !== null) return <Imported result={plan.result} sourceId={plan.sourceId} />
  return (
    <>
      <Card>
        <div class="pad col">
          {first === undefined && (
            <div class="form-grid">
              <SelectField
                label={t('data.into')}
                value={into}
                onValue={setInto}
                disabled={plan.file !== null}
                options={[
                  ...sources.map((one) => ({ value: String(one.id), text: one.name })),
                  { value: '', text: t('data.newSet') },
                ]}
              />
              {into === '' && <TextField label={t('data.name')} value={name} onValue={setName} />}
            </div>
          )}
          <FileDrop
            label={t('data.dropFile')}
            hint={t('data.dropHint')}
            accept=".csv,.tsv,.txt,.ndjson,.jsonl,.xlsx,.xls,.parquet"
            file={plan.file}
            onFile={choose}
          />
          <Going plan={plan} />
        </div>
      </Card>
      {plan.failure && !plan.preview && <Refused plan={plan} />}
      {plan.file && plan.sourceId !== null && plan.work?.kind !== 'importing' && (
        <Corrections plan={plan} sourceId={plan.sourceId} />
      )}
    </>
  )
}

/** The work of the service, and a way to end it. */
function Going({ plan: { work, cancel } }: { readonly plan: FileImport }): JSX.Element | null {
  if (work === null) return null
  const label = t(`data.work.${work.kind}`)
  return (
    <div class="row wrap">
      <div class="grow">
        {work.progress !== null && <p>{label}</p>}
        <Progress value={work.progress} label={label} />
      </div>
      <Button icon="stop" onClick={cancel}>
        {t('kit.cancel')}
      </Button>
    </div>
  )
}

function Refused({ plan: { failure } }: { readonly plan: FileImport }): JSX.Element | null {
  if (failure === null) return null
  const faults = faultsOf(failure.errors)
  const others = failure.errors.filter(({ pointer }) => !/^\/file(?:\/|$)/.test(pointer))
  return (
    <div class="col">
      <FailureNote failure={failure} what={t('data.importFailed')} />
      {others.length > 0 && (
        <ul class="refusals">
          {others.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {faults.length > 0 && (
        <Card title={t('data.faults')}>
          <Faults faults={faults} />
        </Card>
      )}
    </div>
  )
}

function Corrections({
  plan,
  sourceId,
}: {
  readonly plan: FileImport
  readonly sourceId: number
}): JSX.Element {
  const { preview } = plan
  return (
    <>
      <FormatCard plan={plan} />
      {preview && (
        <>
          <ColumnsCard plan={plan} preview={preview} />
          {preview.faults.length > 0 && (
            <Card title={t('data.faults')} note={t('data.faultsNote')}>
              <Faults faults={preview.faults} />
            </Card>
          )}
          {plan.failure && <Refused plan={plan} />}
          <TargetCard plan={plan} preview={preview} sourceId={sourceId} />
        </>
      )}
    </>
  )
}

function Imported({
  result,
  sourceId,
}: {
  readonly result: ImportResult
  readonly sourceId: number
}): JSX.Element {
  const { table, rows, replaced, skipped, faults } = result
  return (
    <>
      <Note
        kind="ok"
        icon="check"
        role="status"
        action={
          <a class="btn primary" href={tableLink(sourceId, table)}>
            {t('data.openTable')}
          </a>
        }
      >
        <b>{t('data.importedRows', { table, count: rows })}</b>
        {replaced > 0 && <div>{t('data.importedReplaced', { count: replaced })}</div>}
        {skipped > 0 && <div>{t('data.importedSkipped', { count: skipped })}</div>}
      </Note>
      {faults.length > 0 && (
        <Card title={t('data.faults')}>
          <Faults faults={faults} />
        </Card>
      )}
      <div>
        <a class="btn" href={sourceLink(sourceId)}>
          {t('data.toTables')}
        </a>
      </div>
    </>
  )
}
