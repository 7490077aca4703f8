import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button, IconButton } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'
import { CommentDialog } from './comment-dialog.tsx'
import { isOwn, refusedToChange } from './sources.ts'
import type { ColumnInfo, TableView } from './sources.ts'
import { ColumnDialog, DropColumn } from './table-dialogs.tsx'

type Opened = {
  readonly what: 'note' | 'edit' | 'drop' | 'add'
  /** Null for a new column. */
  readonly column: ColumnInfo | null
}

/** The columns of a table with their types and comments; those of imported tables can be changed. */
export function ColumnsTab({ view }: { readonly view: TableView }): JSX.Element {
  const [opened, open] = useState<Opened | null>(null)
  const close = (): void => open(null)
  const { source, info, columns } = view
  const own = isOwn(view)
  const column = opened?.column ?? null
  return (
    <>
      <ColumnTable columns={columns} own={own} onOpen={open} />
      {own && (
        <div class="pad">
          <Button
            small
            icon="plus"
            refused={refusedToChange()}
            onClick={() => open({ what: 'add', column: null })}
          >
            {t('data.addColumn')}
          </Button>
        </div>
      )}
      {opened?.what === 'note' && column && (
        <CommentDialog
          source={source}
          table={info.name}
          column={column.name}
          comment={column.comment}
          onClose={close}
        />
      )}
      {(opened?.what === 'edit' || opened?.what === 'add') && (
        <ColumnDialog view={view} column={column} onClose={close} />
      )}
      {opened?.what === 'drop' && column && <DropColumn view={view} column={column} onClose={close} />}
    </>
  )
}

function ColumnTable({
  columns,
  own,
  onOpen,
}: {
  readonly columns: readonly ColumnInfo[]
  readonly own: boolean
  readonly onOpen: (opened: Opened) => void
}): JSX.Element {
  const refused = refusedToChange()
  return (
    <Table<ColumnInfo>
      label={t('data.columns')}
      rows={columns}
      keyOf={({ name }) => name}
      columns={[
        {
          key: 'name',
          title: t('data.column'),
          cell: ({ name, comment }) => (
            <>
              <b>{name}</b>
              {comment && <div class="path">{comment}</div>}
            </>
          ),
        },
        {
          key: 'type',
          title: t('data.type'),
          cell: ({ type, nativeType }) => (
            <>
              {t(`data.columnType.${type}`)}
              {!own && <div class="path mono">{nativeType}</div>}
            </>
          ),
        },
        {
          key: 'nullable',
          title: t('data.mayBeEmpty'),
          wide: true,
          cell: ({ nullable }) => t(nullable ? 'data.yes' : 'data.no'),
        },
        {
          key: 'more',
          title: <span class="vh">{t('data.actions')}</span>,
          figures: true,
          cell: (column) => (
            <>
              <IconButton
                small
                icon="comment"
                label={t('data.commentOn', { name: column.name })}
                refused={refused}
                onClick={() => onOpen({ what: 'note', column })}
              />
              {own && (
                <>
                  <IconButton
                    small
                    icon="edit"
                    label={t('data.editName', { name: column.name })}
                    refused={refused}
                    onClick={() => onOpen({ what: 'edit', column })}
                  />
                  <IconButton
                    small
                    icon="close"
                    label={t('data.deleteName', { name: column.name })}
                    refused={refused}
                    onClick={() => onOpen({ what: 'drop', column })}
                  />
                </>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
