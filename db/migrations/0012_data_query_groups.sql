CREATE TABLE `data_query_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `data_query_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_query_groups_by_name` ON `data_query_groups` (`parent_id`,"name" collate nocase);--> statement-breakpoint
CREATE UNIQUE INDEX `data_query_groups_at_root` ON `data_query_groups` ("name" collate nocase) WHERE parent_id is null;--> statement-breakpoint
CREATE TABLE `data_query_references` (
	`query_id` integer NOT NULL,
	`is_published` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`query_id`, `is_published`, `name`),
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_query_references_by_name` ON `data_query_references` (`name`);--> statement-breakpoint
ALTER TABLE `data_queries` ADD `group_id` integer REFERENCES data_query_groups(id);--> statement-breakpoint
CREATE INDEX `data_queries_by_group` ON `data_queries` (`group_id`);