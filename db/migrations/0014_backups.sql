CREATE TABLE `backup_rows` (
	`run` text NOT NULL,
	`section` text NOT NULL,
	`place` integer NOT NULL,
	`cells` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`run`, `section`, `place`)
);
--> statement-breakpoint
CREATE INDEX `backup_rows_by_time` ON `backup_rows` (`at`);--> statement-breakpoint
CREATE TABLE `backups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`origin` text NOT NULL,
	`made_at` integer NOT NULL,
	`release` text NOT NULL,
	`has_histories` integer NOT NULL,
	`has_files` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`digest` text NOT NULL,
	`blob` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `backups_by_origin` ON `backups` (`origin`,`created_at`);--> statement-breakpoint
CREATE TABLE `run_repeats` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`run_id` text NOT NULL,
	`until_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `run_repeats_by_time` ON `run_repeats` (`until_at`);--> statement-breakpoint
DROP INDEX `runs_queued`;--> statement-breakpoint
ALTER TABLE `runs` ADD `retries` integer NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` ADD `runner_name` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `session_hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `runs_held` ON `runs` (`script_id`,`run_configuration_id`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `runs_finished` ON `runs` (`script_id`,`id`) WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX `runs_queued` ON `runs` (`script_id`,`run_configuration_id`,`id`) WHERE state = 'queued';--> statement-breakpoint
ALTER TABLE `sessions` ADD `scopes` text;