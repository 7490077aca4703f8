import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { background } from '../../../kit/background.ts'
import { Button } from '../../../kit/controls.tsx'
import { Table } from '../../../kit/data.tsx'
import { Note } from '../../../kit/feedback.tsx'
import { t } from '../../../language/t.ts'
import { differences, draftOf } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Job } from './job.ts'

type Version = { readonly job: Job; readonly etag: string | undefined }

/** Another user has saved the job meanwhile: both versions, and the choice between them. */
export function Conflict({
  id,
  base,
  mine,
  read,
  onChoose,
}: {
  readonly id: number
  readonly base: Draft
  readonly mine: Draft
  readonly read: (id: number) => Promise<Version>
  readonly onChoose: (version: Version, keep?: Draft) => void
}): JSX.Element {
  const [theirs, setTheirs] = useState<Version | null>(null)
  useEffect(() => background(read(id).then(setTheirs)), [id])
  const rows = theirs === null ? [] : differences(base, draftOf(theirs.job), mine)
  return (
    <Note kind="warning" role="alert">
      <b>{t('job.conflict')}</b>
      <p>{t('job.conflict.text')}</p>
      {theirs && (
        <>
          <Table
            label={t('job.conflict')}
            rows={rows}
            keyOf={({ field }) => field}
            columns={[
              { key: 'field', title: t('job.conflict.field'), cell: ({ field }) => t(`job.field.${field}`) },
              {
                key: 'theirs',
                title: t('job.conflict.theirs'),
                cell: (row) => <span class="pre">{row.theirs}</span>,
              },
              {
                key: 'mine',
                title: t('job.conflict.mine'),
                cell: (row) => <span class="pre">{row.isBoth ? <mark>{row.mine}</mark> : row.mine}</span>,
              },
            ]}
          />
          <div class="row wrap">
            <Button kind="primary" onClick={() => onChoose(theirs, merged(base, draftOf(theirs.job), mine))}>
              {t('job.conflict.keepMine')}
            </Button>
            <Button onClick={() => onChoose(theirs)}>{t('job.conflict.takeTheirs')}</Button>
          </div>
        </>
      )}
    </Note>
  )
}

/** The other version with the fields that the user changed. */
function merged(base: Draft, theirs: Draft, mine: Draft): Draft {
  const own = (Object.keys(base) as (keyof Draft)[]).filter(
    (field) => JSON.stringify(base[field]) !== JSON.stringify(mine[field]),
  )
  return { ...theirs, ...Object.fromEntries(own.map((field) => [field, mine[field]])) }
}
