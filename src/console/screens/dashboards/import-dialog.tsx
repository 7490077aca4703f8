import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer, Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Table } from '../../kit/data.tsx'
import { FailureNote, Note } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { linkTo } from '../../kit/location.ts'
import { Dialog, FormDialog, Refusals } from '../../kit/overlays.tsx'
import { WordField } from '../../kit/word-field.tsx'
import { t } from '../../language/t.ts'

type Outcome = Answer<'/dashboards/import', 'post'>
type Body = Call<'/dashboards/import', 'post'>
const MODES = ['skip', 'overwrite', 'copy'] as const
type Mode = (typeof MODES)[number]

/** Imports dashboards from a file of an export. The outcome is shown before anything is stored. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [file, setFile] = useState<File | null>(null)
  const [document, setDocument] = useState<unknown>(null)
  const [mode, setMode] = useState<Mode>('skip')
  const [analysis, setAnalysis] = useState<Outcome | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [done, setDone] = useState<Outcome | null>(null)
  const analyse = async (content: unknown, how: Mode): Promise<void> => {
    setAnalysis(null)
    setFailure(null)
    try {
      const request = { body: { mode: how, document: content } } as Body
      setAnalysis(await call('post', '/dashboards/import/analyze', request))
    } catch (error) {
      setFailure(asFailure(error))
    }
  }
  const choose = async (chosen: File): Promise<void> => {
    setFile(chosen)
    const content = parse(await chosen.text())
    setDocument(content)
    setAnalysis(null)
    if (content !== null) await analyse(content, mode)
  }
  if (done)
    return (
      <Dialog title={t('boards.import')} onClose={onClose} wide>
        <div class="col">
          <Note kind="ok" icon="check" role="status">
            {t('boards.imported')}
          </Note>
          <OutcomeTable outcome={done} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={t('boards.import')}
      submit={t('boards.importNow')}
      wide
      refused={refusedImport(analysis)}
      onSubmit={async () => {
        const outcome = await call('post', '/dashboards/import', { body: { mode, document } } as Body)
        invalidate('/dashboards')
        setDone(outcome)
      }}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {() => (
        <>
          <FileDrop
            label={t('boards.importFile')}
            hint={t('boards.importHint')}
            accept=".json"
            file={file}
            onFile={(chosen) => background(choose(chosen))}
          />
          {file && document === null && (
            <Note kind="major" role="alert">
              {t('boards.notAnExport', { name: file.name })}
            </Note>
          )}
          <WordField
            label={t('boards.mode')}
            textOf={(word) => t(`boards.mode.${word}`)}
            words={MODES}
            value={mode}
            onValue={(next) => {
              setMode(next)
              if (document !== null) background(analyse(document, next))
            }}
          />
          {failure && failure.errors.length === 0 && (
            <FailureNote failure={failure} what={t('boards.notImported')} />
          )}
          {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
          {analysis && <OutcomeTable outcome={analysis} />}
        </>
      )}
    </FormDialog>
  )
}

function refusedImport(analysis: Outcome | null): string | undefined {
  if (analysis === null) return t('boards.importFirst')
  return analysis.errors.length > 0 ? t('boards.hasErrors') : undefined
}

function parse(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** The outcome of an import for each dashboard, and the things that are missing here. */
function OutcomeTable({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  const { dashboards, unmatched, warnings, errors, dataQueries } = outcome
  return (
    <>
      <Table
        label={t('boards.title')}
        rows={dashboards}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            key: 'name',
            title: t('data.name'),
            cell: ({ id, name, urlName }) =>
              id === null ? name : <a href={linkTo(`dashboards/${urlName}`)}>{name}</a>,
          },
          {
            key: 'action',
            title: t('boards.action'),
            cell: ({ action, localChanges }) => (
              <>
                {t(`boards.action.${action}`)}
                {localChanges && <div class="path">{t('boards.localChanges')}</div>}
              </>
            ),
          },
          {
            key: 'version',
            title: t('boards.version'),
            cell: ({ fromVersion, toVersion }) =>
              fromVersion === null ? toVersion : `${fromVersion} → ${toVersion}`,
          },
        ]}
      />
      {dataQueries.length > 0 && (
        <p class="label">
          {dataQueries.map(({ name, action }) => `${name}: ${t(`boards.queryAction.${action}`)}`).join(' · ')}
        </p>
      )}
      {unmatched.length > 0 && (
        <Note kind="warning">
          <b>{t('boards.unmatched', { count: unmatched.length })}</b>
          <ul>
            {unmatched.map(({ kind, name, widgets }) => (
              <li key={`${kind} ${name}`}>
                {name} <span class="quiet">{widgets.map((pair) => pair.join(', ')).join(' · ')}</span>
              </li>
            ))}
          </ul>
        </Note>
      )}
      {[...errors, ...warnings].map(({ code, name, message }) => (
        <Note key={`${code} ${name}`} kind={errors.some((one) => one.code === code) ? 'major' : 'warning'}>
          <span lang="en">{message}</span>
        </Note>
      ))}
    </>
  )
}
