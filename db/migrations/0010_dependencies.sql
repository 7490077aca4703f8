CREATE TABLE `dependencies` (
	`object_id` integer NOT NULL,
	`depends_on_id` integer NOT NULL,
	PRIMARY KEY(`object_id`, `depends_on_id`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`depends_on_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dependencies_by_target` ON `dependencies` (`depends_on_id`,`object_id`);