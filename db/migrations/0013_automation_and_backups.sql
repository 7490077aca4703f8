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
CREATE TABLE `run_files` (
	`run_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`blob` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`mime_type` text NOT NULL,
	PRIMARY KEY(`run_id`, `kind`, `name`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `run_log_lines` (
	`run_id` text NOT NULL,
	`line` integer NOT NULL,
	`at` integer NOT NULL,
	`stream` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`run_id`, `line`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
CREATE TABLE `runners` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`about` text NOT NULL,
	`registered_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runners_name_unique` ON `runners` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `runners_token_hash_unique` ON `runners` (`token_hash`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`script_id` integer NOT NULL,
	`run_configuration_id` integer NOT NULL,
	`trigger` text NOT NULL,
	`user_id` integer,
	`state` text NOT NULL,
	`attempt` integer NOT NULL,
	`order` text NOT NULL,
	`retries` integer NOT NULL,
	`runner_id` integer,
	`runner_name` text,
	`session_hash` text,
	`attempt_hash` text,
	`lease_until` integer,
	`is_cancelled` integer NOT NULL,
	`exit_code` integer,
	`progress` real,
	`progress_message` text,
	`log_sequence` integer NOT NULL,
	`log_lines` integer NOT NULL,
	`isolation` text,
	`error` text,
	`queued_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `runs_by_script` ON `runs` (`script_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_configuration` ON `runs` (`script_id`,`run_configuration_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_queued` ON `runs` (`script_id`,`run_configuration_id`,`id`) WHERE state = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX `runs_held` ON `runs` (`script_id`,`run_configuration_id`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `runs_by_lease` ON `runs` (`lease_until`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `runs_finished` ON `runs` (`script_id`,`id`) WHERE finished_at is not null;--> statement-breakpoint
CREATE TABLE `run_configurations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`name` text NOT NULL,
	`is_default` integer NOT NULL,
	`timeout_s` integer,
	`rules` text NOT NULL,
	`secrets` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_configurations_by_name` ON `run_configurations` (`script_id`,"name" collate nocase);--> statement-breakpoint
CREATE UNIQUE INDEX `run_configurations_by_default` ON `run_configurations` (`script_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE TABLE `schedule_configurations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`name` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`cron` text NOT NULL,
	`time_zone` text NOT NULL,
	`run_configuration_id` integer,
	`misfire` text NOT NULL,
	`user_id` integer,
	`next_at` integer,
	`last_at` integer,
	`last_result` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_configuration_id`) REFERENCES `run_configurations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `schedule_configurations_by_name` ON `schedule_configurations` (`script_id`,"name" collate nocase);--> statement-breakpoint
CREATE INDEX `schedule_configurations_by_next` ON `schedule_configurations` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `script_dependents` (
	`script_id` integer NOT NULL,
	`kind` text NOT NULL,
	`owner_id` integer NOT NULL,
	`part` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`script_id`, `kind`, `owner_id`, `part`),
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `script_dependents_by_owner` ON `script_dependents` (`kind`,`owner_id`);--> statement-breakpoint
CREATE TABLE `script_files` (
	`script_id` integer NOT NULL,
	`path` text NOT NULL,
	`is_directory` integer NOT NULL,
	`blob` text,
	`size_bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`mime_type` text NOT NULL,
	`is_text` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`script_id`, `path`),
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `script_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `script_groups_by_name` ON `script_groups` ("name" collate nocase);--> statement-breakpoint
CREATE TABLE `scripts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`group_id` integer NOT NULL,
	`timeout_s` integer NOT NULL,
	`accepted_files` text NOT NULL,
	`detection` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `script_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scripts_by_name` ON `scripts` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `scripts_by_group` ON `scripts` (`group_id`);--> statement-breakpoint
CREATE TABLE `webhook_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`run_configuration_id` integer,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`former_hash` text,
	`former_until` integer,
	`signing_key` text,
	`former_signing_key` text,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_configuration_id`) REFERENCES `run_configurations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_hash_unique` ON `webhook_tokens` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_former_hash_unique` ON `webhook_tokens` (`former_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_by_name` ON `webhook_tokens` (`script_id`,"name" collate nocase);--> statement-breakpoint
ALTER TABLE `sessions` ADD `scopes` text;