import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { ROLES } from '../../context.ts'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { filterSchema } from '../filters/schema.ts'

const TABLES_MAX = 100
const COLUMNS_MAX = 200
const USERS_MAX = 1_000
const GROUPS_MAX = 200
const NAME_MAX = 255

export const SCOPES_MAX = 100
const relationName = storableText.min(1).max(NAME_MAX)
const ids = (max: number) => z.array(z.int().positive()).max(max).default([])
const access = z
  .enum(['read', 'edit'])
  .describe('Whether the subjects may only read the rows, or also insert, change and delete rows.')

const subjects = z
  .strictObject({
    users: ids(USERS_MAX).describe('Ids of users.'),
    userGroups: ids(GROUPS_MAX).describe('Ids of user groups.'),
    roles: z.array(z.enum(ROLES)).max(ROLES.length).default([]),
  })
  .refine(
    ({ users, userGroups, roles }) => users.length + userGroups.length + roles.length > 0,
    'must have a user, a user group or a role',
  )
  .describe('The users to which the scope applies: any of these.')

const filter = filterSchema
  .nullable()
  .default(null)
  .describe(
    'The rows of the scope; null for all. A value may be `${user.id}`, `${user.username}` or `${user.properties.<key>}`; without that property a user gets no rows.',
  )

export const scopeBody = z
  .strictObject({
    id: shownOnly,
    createdAt: shownOnly,
    updatedAt: shownOnly,
    name: composedName,
    tables: z
      .array(relationName)
      .min(1)
      .max(TABLES_MAX)
      .describe('Tables and views. Each must have the columns of the filter.'),
    subjects,
    access: access.default('read'),
    filter,
    hiddenColumns: z
      .array(relationName)
      .max(COLUMNS_MAX)
      .default([])
      .describe('Columns of these tables that do not exist for the subjects. The filter may use them.'),
  })
  .meta({
    examples: [
      {
        name: 'Own regions',
        tables: ['orders'],
        subjects: { roles: ['Data_Editor'] },
        filter: { column: 'region', op: 'eq', value: '${user.properties.region}' },
        hiddenColumns: ['margin'],
      },
    ],
  })

export const scopeView = z
  .object({
    id: z.int(),
    name: z.string(),
    tables: z.array(z.string()).meta({ examples: [['orders']] }),
    subjects: z.object({
      users: z.array(z.int()),
      userGroups: z.array(z.int()),
      roles: z.array(z.enum(ROLES)).meta({ examples: [['Data_Editor']] }),
    }),
    access,
    filter: filterSchema.nullable(),
    hiddenColumns: z.array(z.string()).meta({ examples: [['margin']] }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'DataSourceScope' })

export const scopePath = z.object({ id: idParam, scopeId: idParam })

export const effectiveQuery = z.object({
  userId: idParam.describe('The id of the user.'),
  table: z.string().max(NAME_MAX).optional().describe('Only this table or view; all of them if absent.'),
})

const part = z
  .object({
    rows: z.enum(['all', 'some', 'none']).describe('`some`: the rows that satisfy `filter`.'),
    filter: filterSchema
      .nullable()
      .describe('The rows, with the values of the user; null for `all` and `none`.'),
    words: z
      .string()
      .describe('The rows as a line of text.')
      .meta({ examples: ['region = "north"'] }),
  })
  .nullable()

export const effectiveView = z
  .object({
    userId: z.int(),
    items: z.array(
      z.object({
        table: z.string().meta({ examples: ['orders'] }),
        tableKind: z.enum(['table', 'view']),
        read: part.describe(
          'The rows that the user may read; null if the table does not exist for the user.',
        ),
        edit: part.describe('The rows that the user may edit; null for none.'),
        hiddenColumns: z.array(z.string()).meta({ examples: [['margin']] }),
        reason: z
          .enum([
            'administrator',
            'no_scopes',
            'view_without_scope',
            'copy_without_scope',
            'no_scope_applies',
            'scopes',
          ])
          .describe(
            '`view_without_scope`: in a data source with scopes a view needs one too; `copy_without_scope`: a copy of a table with scopes needs one too; `scopes`: the scopes of the table decide.',
          ),
        scopes: z
          .array(
            z.object({
              id: z.int(),
              name: z.string(),
              access,
              appliesBy: z
                .array(
                  z.object({ by: z.enum(['user', 'userGroup', 'role']), userGroupId: z.int().optional() }),
                )
                .describe('Why the scope applies to the user; empty if it does not.'),
              rows: z.enum(['all', 'some', 'none']),
              why: z
                .string()
                .nullable()
                .describe('Why the scope yields no rows, if so.')
                .meta({ examples: [null] }),
            }),
          )
          .describe('All scopes of the table.'),
      }),
    ),
  })
  .meta({ id: 'EffectiveScopes' })

const names = (max: number) => z.array(storableText.min(1).max(NAME_MAX)).max(max).default([])

/** A scope whose users and user groups have their names. */
export const portableScope = z.strictObject({
  name: composedName,
  tables: scopeBody.shape.tables,
  subjects: z
    .strictObject({
      users: names(USERS_MAX).describe('Names of users.'),
      userGroups: names(GROUPS_MAX).describe('Names of user groups.'),
      roles: z.array(z.enum(ROLES)).max(ROLES.length).default([]),
    })
    .describe('The users to which the scope applies.'),
  access: access.default('read'),
  filter,
  hiddenColumns: scopeBody.shape.hiddenColumns,
})

export type PortableScope = z.output<typeof portableScope>
export type ScopeBody = z.output<typeof scopeBody>
export type ScopeView = z.output<typeof scopeView>
export type EffectiveView = z.output<typeof effectiveView>
