PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_alarms` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`link_id` integer NOT NULL,
	`opened_seq` integer NOT NULL,
	`status` text NOT NULL,
	`state` text NOT NULL,
	`worst_state` text NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer,
	`reason` text NOT NULL,
	`message` text,
	`silent_since_at` integer,
	`assignee_id` integer,
	`assigned_until_at` integer,
	`sticky` integer NOT NULL,
	`suppressed_by` integer,
	`held_reason` text,
	`maintained` integer NOT NULL,
	`flapping` integer NOT NULL,
	`delayed_until_at` integer,
	`well_since_at` integer,
	`due_at` integer,
	`is_unexplained` integer DEFAULT false NOT NULL,
	`version` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`assignee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_alarms`("id", "object_id", "link_id", "opened_seq", "status", "state", "worst_state", "begin_at", "end_at", "reason", "message", "silent_since_at", "assignee_id", "assigned_until_at", "sticky", "suppressed_by", "held_reason", "maintained", "flapping", "delayed_until_at", "well_since_at", "due_at", "is_unexplained", "version") SELECT "id", "object_id", "link_id", "opened_seq", "status", "state", "worst_state", "begin_at", "end_at", "reason", "message", "silent_since_at", "assignee_id", "assigned_until_at", "sticky", "suppressed_by", "held_reason", "maintained", "flapping", "delayed_until_at", "well_since_at", "due_at", "is_unexplained", "version" FROM `alarms`;--> statement-breakpoint
DROP TABLE `alarms`;--> statement-breakpoint
ALTER TABLE `__new_alarms` RENAME TO `alarms`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_by_opening` ON `alarms` (`object_id`,`link_id`,`opened_seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_open` ON `alarms` (`object_id`,`link_id`) WHERE end_at is null;--> statement-breakpoint
CREATE INDEX `alarms_by_begin` ON `alarms` (`begin_at`,`id`);--> statement-breakpoint
CREATE INDEX `alarms_by_status` ON `alarms` (`status`,`begin_at`,`id`);--> statement-breakpoint
CREATE INDEX `alarms_by_link` ON `alarms` (`link_id`,`status`);--> statement-breakpoint
CREATE INDEX `alarms_by_assignee` ON `alarms` (`assignee_id`,`begin_at`) WHERE assignee_id is not null;--> statement-breakpoint
CREATE INDEX `alarms_by_due` ON `alarms` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `alarms_by_suppressor` ON `alarms` (`suppressed_by`) WHERE suppressed_by is not null;--> statement-breakpoint
CREATE INDEX `alarms_unexplained` ON `alarms` (`id`) WHERE is_unexplained = 1;--> statement-breakpoint
CREATE INDEX `alarms_of_nobody` ON `alarms` (`id`) WHERE status = 'assigned' and assignee_id is null;--> statement-breakpoint
CREATE INDEX `alarms_by_end` ON `alarms` (`end_at`) WHERE end_at is not null;