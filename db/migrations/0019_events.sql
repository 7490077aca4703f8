CREATE TABLE `event_epochs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`opened_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `status_page_children` (
	`object_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`object_id`, `child_id`),
	FOREIGN KEY (`object_id`) REFERENCES `status_pages`(`object_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`child_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `status_page_children_by_child` ON `status_page_children` (`child_id`);--> statement-breakpoint
CREATE TABLE `status_pages` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`page_hash` text NOT NULL,
	`page_sealed` text NOT NULL,
	`badge_hash` text NOT NULL,
	`badge_sealed` text NOT NULL,
	`days` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_page` ON `status_pages` (`page_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_badge` ON `status_pages` (`badge_hash`);