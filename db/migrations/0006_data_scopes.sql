CREATE TABLE `data_scope_subjects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope_id` integer NOT NULL,
	`user_id` integer,
	`group_id` integer,
	`role` text,
	FOREIGN KEY (`scope_id`) REFERENCES `data_scopes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `user_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_scope` ON `data_scope_subjects` (`scope_id`);--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_user` ON `data_scope_subjects` (`user_id`);--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_group` ON `data_scope_subjects` (`group_id`);--> statement-breakpoint
CREATE TABLE `data_scopes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`name` text NOT NULL,
	`tables` text NOT NULL,
	`access` text NOT NULL,
	`filter` text,
	`hidden_columns` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_scopes_by_name` ON `data_scopes` (`data_source_id`,"name" collate nocase);--> statement-breakpoint
ALTER TABLE `users` ADD `properties` text DEFAULT '[]' NOT NULL;